/** Of this package, as runners report it and schemas keep it; a test holds it against package.json. */
export const version = '0.1.0';
