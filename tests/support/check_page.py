"""Checks that an HTML report stands alone and is well-formed: check_page.py PAGE

Well-formed XML; no scripts, event handlers or references but to places on the page; ids unique and
every reference to one resolved; every figure with a title and a description; headings in order.
Exit status 0: good; 1: not, with every finding on stderr.
"""

import sys
import xml.etree.ElementTree as ET

FORBIDDEN = {"script", "link", "iframe", "object", "embed", "img", "base", "form", "image", "use"}
REFERENCES = {"src", "href", "srcset", "action", "data", "poster", "background"}


def local(name):
    return name.rsplit("}", 1)[-1]


def findings(root):
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    for repeated in {i for i in ids if ids.count(i) > 1}:
        yield f"the id {repeated} occurs more than once"
    level = 0
    for element in root.iter():
        tag = local(element.tag)
        if tag in FORBIDDEN:
            yield f"<{tag}> is not allowed"
        if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            if int(tag[1]) > level + 1:
                yield f"<{tag}> follows a heading of level {level}"
            level = int(tag[1])
        for name, value in element.attrib.items():
            attribute = local(name)
            if tag == "a" and attribute == "href" and value[:1] == "#":
                if value[1:] not in ids:
                    yield f"the link {value} leads nowhere"
            elif attribute in REFERENCES or attribute.startswith("on") or "url(" in value:
                yield f'<{tag} {attribute}="{value}"> is not allowed'
            if attribute in ("aria-labelledby", "aria-describedby"):
                for target in value.split():
                    if target not in ids:
                        yield f"{attribute} names {target}, which is nowhere"
        if tag == "style" and ("url(" in (element.text or "") or "@import" in (element.text or "")):
            yield "the style sheet refers to something outside"
        is_second = element.get("class") == "narrow"  # named after the first drawing of its figure
        if tag == "svg" and element.get("role") == "img" and not is_second:
            texts = {local(child.tag): child.text for child in element}
            if not texts.get("title") or not texts.get("desc"):
                yield f"the figure {element.get('id')} lacks a title or a description"
    if root.get("lang") is None:
        yield "the page names no language"


def main(path):
    try:
        root = ET.parse(path).getroot()
    except ET.ParseError as error:
        print(f"{path}: not well-formed: {error}", file=sys.stderr)
        return 1
    found = list(findings(root))
    for finding in found:
        print(f"{path}: {finding}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
