/** What an address or a call asks for: a list is its name repeated, what is undefined or empty is left out. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** With its question mark; empty where nothing is asked. */
export function searchOf(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === '') continue;
    for (const each of Array.isArray(value) ? (value as readonly string[]) : [value]) {
      search.append(name, String(each));
    }
  }
  const text = search.toString();
  return text && `?${text}`;
}
