"use strict";
const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");
document.getElementById("theme").addEventListener("click", () => {
  const now = root.dataset.theme || (dark.matches ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
});
// Only what is already on the page is shown or hidden: no text is ever made into elements here.
for (const field of document.querySelectorAll("input[data-filters]")) {
  const rows = [...document.getElementById(field.dataset.filters).children];
  field.addEventListener("input", () => {
    const wanted = field.value.toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
}
// A link to something inside a closed part opens it.
function opened() {
  const place = location.hash && document.getElementById(location.hash.slice(1));
  for (let part = place; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
  if (place) place.scrollIntoView();
}
addEventListener("hashchange", opened);
opened();
// What is closed on the screen is open on paper.
addEventListener("beforeprint", () => { for (const part of document.querySelectorAll("details")) part.open = true; });
