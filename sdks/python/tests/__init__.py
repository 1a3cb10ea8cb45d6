"""The tests of the package. They use its sources, installed or not."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))
