"""The version of the package."""

VERSION = "1.3.1"
