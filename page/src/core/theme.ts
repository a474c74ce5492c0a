import { useEffect, useState } from 'preact/hooks';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const key = 'nestjs-jobs:theme';

/** What the reader chose; without a choice the page follows the system. */
export function readTheme(): Theme {
  const chosen = kept();
  return themes.find((theme) => theme === chosen) ?? 'system';
}

export function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
}

export function useTheme(): [theme: Theme, choose: (theme: Theme) => void] {
  const [theme, setTheme] = useState(readTheme);
  const choose = (theme: Theme) => {
    keep(theme);
    applyTheme(theme);
    setTheme(theme);
  };
  return [theme, choose];
}

/** A number that changes when the page turns light or dark: what is painted by hand has to be painted again. */
export function useShade(): number {
  const [shade, change] = useState(0);
  useEffect(() => {
    const turned = () => change((shade) => shade + 1);
    const system = matchMedia('(prefers-color-scheme: dark)');
    const chosen = new MutationObserver(turned);
    system.addEventListener('change', turned);
    chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      system.removeEventListener('change', turned);
      chosen.disconnect();
    };
  }, []);
  return shade;
}

/** A browser may keep nothing: then the choice lasts as long as the page. */
function kept(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function keep(theme: Theme): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // See above.
  }
}
