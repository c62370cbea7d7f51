// Formulas become MathML while the page is built: a `.tex` file has lines `name = formula`, and what the page imports is
// an object of names and markup. The browser draws MathML itself, so no formula code is shipped.

import temml from 'temml';
import type { Plugin } from 'vite';

export function mathml(): Plugin {
  return {
    name: 'mathml',
    transform(source, id) {
      if (!id.endsWith('.tex')) return null;
      const lines = source.split('\n').filter((line) => line.trim() && !line.startsWith('%'));
      const formulas = Object.fromEntries(lines.map((line) => rendered(line, id)));
      return { code: `export default ${JSON.stringify(formulas)};`, map: null };
    },
  };
}

function rendered(line: string, id: string): [string, string] {
  const at = line.indexOf(' = ');
  if (at < 1) throw new Error(`${id}: expected "name = formula", found ${line}`);
  const markup = temml.renderToString(line.slice(at + 3), { displayMode: true, throwOnError: true, xml: false });
  return [line.slice(0, at), markup];
}
