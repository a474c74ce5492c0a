/** The value of a JSON text; undefined where there is none, or where it is no JSON. */
export function readJson(text: string | undefined): unknown {
  if (text === undefined || text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
