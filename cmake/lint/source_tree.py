"""What the checks have in common: where C++ sources are, and what an include looks like."""
import os
import re

AREAS = ("bench", "examples", "fuzz", "resilience", "src", "tests")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)


def files_in_areas():
    """Every file of the areas below the current folder, in a fixed order."""
    for area in AREAS:
        for folder, folders, names in os.walk(area):
            folders.sort()
            for name in sorted(names):
                yield os.path.join(folder, name)
