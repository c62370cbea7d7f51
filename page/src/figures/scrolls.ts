// What scrolls must be reachable by keyboard; what does not scroll need not be a stop on the way.

/** An action: the element is focusable while its content is larger than itself. */
export function scrolls(node: HTMLElement): { destroy: () => void } {
  const look = (): void => {
    const larger = node.scrollWidth > node.clientWidth || node.scrollHeight > node.clientHeight;
    if (larger) node.tabIndex = 0;
    else node.removeAttribute('tabindex');
  };
  const watch = new ResizeObserver(look);
  watch.observe(node);
  for (const child of node.children) watch.observe(child);
  look();
  return { destroy: () => watch.disconnect() };
}
