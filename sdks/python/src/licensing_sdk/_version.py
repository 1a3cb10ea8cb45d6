"""The version of the package."""

VERSION = "1.1.0"
