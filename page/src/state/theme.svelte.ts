// Light is good paper, dark is the night sky; the system's choice until one is made.

const KEY = 'armillary.theme';
export type Theme = 'light' | 'dark';

function initial(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    if (kept === 'light' || kept === 'dark') return kept;
  } catch {
    // storage may be forbidden; the theme is then not remembered
  }
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

class ThemeState {
  current = $state<Theme>(initial());

  choose(theme: Theme): void {
    this.current = theme;
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // not remembered, see above
    }
  }
}

export const theme = new ThemeState();
