const secretNames = /password|passphrase/i;

/**
 * Takes out of a text what the options of a connection keep secret: servers and clients may quote what they were given.
 * Options are plain data here, and their addresses are looked into.
 */
export function redacting(options: unknown): (text: string) => string {
  // The longest first: one secret may be a part of another.
  const secrets = [...new Set(secretsIn(options))].filter(Boolean).sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
}

function secretsIn(value: unknown, name = ''): string[] {
  if (typeof value === 'string') return secretNames.test(name) ? [value] : secretsOfAddress(value);
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => secretsIn(inner, key));
}

function secretsOfAddress(text: string): string[] {
  if (!text.includes('://')) return [];
  try {
    const { password, searchParams } = new URL(text);
    const settings = [...searchParams].filter(([name]) => secretNames.test(name)).map(([, value]) => value);
    return [password, decodeURIComponent(password), ...settings];
  } catch {
    // Of what cannot be read, all that may be a password.
    return /:\/\/(?:[^:]*:)?(.*)@/s.exec(text)?.slice(1) ?? [];
  }
}
