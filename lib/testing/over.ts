/** A part with some of its members replaced; whatever else it has, now or later, is its own. */
export function over<T extends object>(part: T, own: Partial<T>): T {
  return new Proxy(part, {
    get(target, key) {
      if (key in own) return own[key as keyof T];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
