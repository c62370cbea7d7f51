// Saving what is shown: a file made in the page, never a request.

export function save(name: string, content: string, type: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** One line of CSV; text is quoted. */
export function csvLine(cells: readonly (string | number)[]): string {
  return cells.map((c) => (typeof c === 'number' ? String(c) : `"${c.replaceAll('"', '""')}"`)).join(',');
}
