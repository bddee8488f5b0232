"""No document names a file or a section that is not there. Argument: the source folder."""
import glob
import os
import re
import sys

FOLDERS = ["", "docs", "python", "bench/results", "device/probe"]


def sections(path):
    """The anchors of a page's headings, as GitHub makes them."""
    found, fenced = {}, False
    with open(path) as f:
        for line in f:
            fenced ^= line.startswith("```")
            heading = re.match(r"#+ +(.*)", line)
            if fenced or not heading:
                continue
            text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading[1].strip())
            anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            times = found[anchor] = found.get(anchor, 0) + 1
            if times > 1:
                found["%s-%d" % (anchor, times - 1)] = 1
    return found


def main():
    root, bad = sys.argv[1], 0
    pages = [p for folder in FOLDERS for p in glob.glob(os.path.join(root, folder, "*.md"))]
    for page in pages:
        with open(page) as f:
            links = re.findall(r"\]\(([^)\s:]+)\)", f.read())
        for link in links:
            name, _, section = link.partition("#")
            target = os.path.join(os.path.dirname(page), name) if name else page
            if not os.path.exists(target):
                bad, what = 1, "is not there"
            elif section and target.endswith(".md") and section not in sections(target):
                bad, what = 1, "has no such section"
            else:
                continue
            print("%s leads to %s, which %s" % (os.path.relpath(page, root), link, what))
    sys.exit(bad)


if __name__ == "__main__":
    main()
