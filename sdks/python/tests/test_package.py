"""The package as it is published: its types, its grammar, its dependencies and its files."""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path
from typing import Dict, Iterator, List

import licensing_sdk

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src" / "licensing_sdk").glob("*.py"))
ALL = [*SOURCES, ROOT / "conformance_driver.py", *sorted((ROOT / "tests").glob("*.py"))]


def run(*command: str, cwd: Path = ROOT) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield (node.module or "").split(".")[0]


class Sources(unittest.TestCase):
    def test_mypy_accepts_every_type_strictly_for_python_3_9(self) -> None:
        found = run(sys.executable, "-m", "mypy")
        self.assertEqual(found.returncode, 0, found.stdout + found.stderr)

    def test_every_file_has_the_grammar_of_python_3_9(self) -> None:
        for path in ALL:
            ast.parse(path.read_text("utf-8"), str(path), feature_version=(3, 9))

    def test_the_package_needs_only_the_standard_library_and_cryptography(self) -> None:
        names = {name for path in SOURCES for name in imported(ast.parse(path.read_text("utf-8")))}
        self.assertEqual(names - set(getattr(sys, "stdlib_module_names")), {"cryptography"})

    def test_no_file_is_longer_than_400_lines_and_no_line_than_120_characters(self) -> None:
        for path in ALL:
            lines = path.read_text("utf-8").splitlines()
            if "api_types" not in path.name and "_resources" not in path.name:  # They are generated.
                self.assertLessEqual(len(lines), 400, path)
            if path.name != "_messages.py":  # Its texts are data.
                self.assertLessEqual(max(map(len, lines), default=0), 120, path)

    def test_everything_public_has_a_doc_comment(self) -> None:
        missing: List[str] = []
        for name in licensing_sdk.__all__:
            value = getattr(licensing_sdk, name)
            if inspect.isclass(value) or inspect.isfunction(value):
                bases = value.__mro__ if inspect.isclass(value) else ()
                own = (one for one in bases if one.__module__.startswith("licensing_sdk"))
                members = [value, *(member for one in own for member in vars(one).values())]
                public = (one for one in members if getattr(one, "__name__", "_").startswith("_") is False)
                missing += [f"{name}: {one.__name__}" for one in public if callable(one) and not one.__doc__]
        self.assertEqual(missing, [])


class Distribution(unittest.TestCase):
    def test_the_built_package_contains_its_own_files_only_and_can_be_imported(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            built = run(sys.executable, "-m", "hatchling", "build", "-d", folder)
            self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
            (wheel,) = Path(folder).glob("*.whl")
            (source,) = Path(folder).glob("*.tar.gz")
            with zipfile.ZipFile(wheel) as archive:
                names = set(archive.namelist())
                metadata = next(archive.read(name).decode() for name in names if name.endswith("METADATA"))
            expected = {f"licensing_sdk/{path.name}" for path in SOURCES} | {"licensing_sdk/py.typed"}
            self.assertEqual({name for name in names if ".dist-info/" not in name}, expected)
            self.assertTrue(any(name.endswith("LICENSE") for name in names))
            for line in ("Name: licensing-sdk", "Requires-Python: >=3.9", "Requires-Dist: cryptography>=38"):
                self.assertIn(line, metadata)
            with tarfile.open(source) as archive_of_sources:
                top = {name.split("/")[1] for name in archive_of_sources.getnames()}
                ignored = archive_of_sources.extractfile(f"{source.name[:-7]}/.gitignore")
                self.assertEqual(ignored and ignored.read().decode(), (ROOT / ".gitignore").read_text("utf-8"))
            self.assertEqual(top - {".gitignore"}, {"LICENSE", "PKG-INFO", "README.md", "pyproject.toml", "src"})
            program = "import sys; sys.path.insert(0, sys.argv[1]); import licensing_sdk; print(licensing_sdk.__file__)"
            found = run(sys.executable, "-c", program, str(wheel), cwd=Path(folder))
            self.assertIn(wheel.name, found.stdout, found.stderr)

    def test_the_wheel_that_the_service_serves_has_the_files_and_the_metadata_of_the_built_one(self) -> None:
        def contents(wheel: Path) -> Dict[str, bytes]:
            with zipfile.ZipFile(wheel) as archive:
                self.assertIsNone(archive.testzip())
                generated = (".dist-info/WHEEL", ".dist-info/RECORD")
                return {name: archive.read(name) for name in archive.namelist() if not name.endswith(generated)}

        with tempfile.TemporaryDirectory() as folder:
            built = run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder)
            self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
            (wheel,) = Path(folder).glob("*.whl")
            (served,) = (ROOT.parent.parent / "packages" / "guides" / "dist" / "downloads").glob("*.whl")
            self.assertEqual(served.name, wheel.name)
            # The README says so.
            self.assertLess(served.stat().st_size, 125 * 1024)
            self.assertEqual(contents(served), contents(wheel))
