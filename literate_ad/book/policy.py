# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/13-book-publishing.md#src-policy
"""What a page may do in a browser: load what the site holds, run what the build has seen."""

import base64
import hashlib
import re
from collections.abc import Iterator

# Text in an attribute may begin like a script, but has no quotes: there they are written out.
INLINE = re.compile(r'<script((?:\s+[\w-]+(?:="[^"]*")?)*)>(.*?)</script>', re.DOTALL)
# A page read from a folder has the scheme file, and there "self" is nobody.
SOURCES = {
    "default-src": "'none'",
    "script-src": "'self' file:",
    "style-src": "'self' file:",
    "img-src": "'self' data: file:",
    "connect-src": "'self' file:",
    "worker-src": "'self' file:",
    "base-uri": "'none'",
    "form-action": "'none'",
}


def with_policy(html: str) -> str:
    """The page, with its Content-Security-Policy in front of all that it governs."""
    sources = SOURCES | {"script-src": " ".join([SOURCES["script-src"], *digests(html)])}
    policy = "; ".join(f"{name} {allowed}" for name, allowed in sources.items())
    mark = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    return re.sub(r"<meta charset=[^>]+>", rf"\g<0>{mark}", html, count=1)


def digests(html: str) -> Iterator[str]:
    """The name of each script in the page that a browser would run."""
    for attributes, code in INLINE.findall(html):
        if "json" not in attributes and "src=" not in attributes:
            digest = base64.b64encode(hashlib.sha256(code.encode()).digest())
            yield f"'sha256-{digest.decode()}'"
