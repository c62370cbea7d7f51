"use strict";
// Sort a table by the column whose head is pressed: numbers by value, text by its letters; again to reverse.
for (const button of document.querySelectorAll(".sortable th button")) {
  button.addEventListener("click", () => {
    const head = button.parentElement, body = head.closest("table").tBodies[0];
    const column = head.cellIndex, numeric = head.classList.contains("number");
    const descending = head.getAttribute("aria-sort") !== "descending" && (numeric || head.hasAttribute("aria-sort"));
    for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const key = (row) => {
      const cell = row.cells[column];
      if (!numeric) return cell.textContent;
      return cell.dataset.key === "" ? -Infinity : Number(cell.dataset.key);
    };
    const order = numeric ? (a, b) => key(a) - key(b) : (a, b) => key(a).localeCompare(key(b));
    const rows = [...body.rows].sort((a, b) => (descending ? -order(a, b) : order(a, b)));
    body.append(...rows);
  });
}
// Paper shows everything that is folded; the folds are as they were afterwards.
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  for (const fold of folded) fold.open = true;
});
addEventListener("afterprint", () => { for (const fold of folded) fold.open = false; });
