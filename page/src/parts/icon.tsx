/** Drawn with strokes in the colour of the text around; said by that text, so hidden from who cannot see it. */
const paths = {
  overview: 'M3 13h5V3H3zM12 17h5V7h-5zM3 17h5M12 3h5',
  tasks: 'M7 5h10M7 10h10M7 15h10M3 5h.01M3 10h.01M3 15h.01',
  failures: 'M10 3 18 17H2zM10 8v4M10 14.5h.01',
  schedules: 'M10 18a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM10 5.5V10l3 2',
  queues: 'M2 6l8-4 8 4-8 4zM2 10l8 4 8-4M2 14l8 4 8-4',
  jobs: 'M3 7h14v10H3zM7 7V4h6v3M3 11h14',
  light:
    'M10 14a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM10 1.5v1.5M10 17v1.5M1.5 10H3M17 10h1.5M4 4l1 1M15 15l1 1M16 4l-1 1M5 15l-1 1',
  dark: 'M17 11.5A7.5 7.5 0 0 1 8.5 3 7.5 7.5 0 1 0 17 11.5z',
  system: 'M2 3.5h16v10H2zM7 17h6M10 13.5V17',
  close: 'M5 5l10 10M15 5L5 15',
  search: 'M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12zM13.5 13.5 18 18',
  check: 'M4 10.5l4 4 8-9',
  copy: 'M7 7h10v10H7zM4 13H3V3h10v1',
  pause: 'M7 4v12M13 4v12',
  play: 'M6 4l10 6-10 6z',
  plus: 'M10 4v12M4 10h12',
  back: 'M12 4l-6 6 6 6',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
