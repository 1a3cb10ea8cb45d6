"""The version of the package."""

VERSION = "1.2.0"
