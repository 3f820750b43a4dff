"""The documentation builds as a site, strictly: no broken link, no page left out, nothing fetched from elsewhere."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[3]
FETCHED = re.compile(r"<(?:script|link|img)\b[^>]*(?:src|href)=[\"']?https?://[^\"'>\s]+")


def built(folder: Path, site: Path) -> subprocess.CompletedProcess[str]:
    asked = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", folder / "mkdocs.yml", "-d", site]
    settings = os.environ | {"PYTHONPATH": str(CHECKOUT), "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(asked, capture_output=True, text=True, check=False, env=settings)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("site")
    run = built(CHECKOUT, made)
    assert run.returncode == 0, run.stderr
    return made


def test_every_page_is_in_the_site(site):
    pages = [page.relative_to(CHECKOUT / "docs") for page in (CHECKOUT / "docs").rglob("*.md")]
    assert [page for page in pages if not (site / page).with_suffix(".html").is_file()] == []


def test_the_reference_shows_the_public_functions_with_their_words(site):
    page = (site / "api.html").read_text("utf-8")
    assert "create_environment" in page and "Mine the traces" in page


def test_a_page_fetches_nothing_from_elsewhere(site):
    pages = [page for page in site.rglob("*.html") if page.name != "404.html"]
    found = {page.name: FETCHED.findall(page.read_text("utf-8")) for page in pages}
    assert {name: urls for name, urls in found.items() if urls} == {}


def test_a_broken_link_fails_the_build(tmp_path):
    shutil.copytree(CHECKOUT / "docs", tmp_path / "docs")
    shutil.copy(CHECKOUT / "mkdocs.yml", tmp_path)
    with (tmp_path / "docs" / "limits.md").open("a", encoding="utf-8") as page:
        page.write("\n[nowhere](nowhere.md)\n")
    run = built(tmp_path, tmp_path / "site")
    assert run.returncode != 0 and "nowhere.md" in run.stderr
