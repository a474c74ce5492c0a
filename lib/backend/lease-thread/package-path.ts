import { createRequire } from 'node:module';

/**
 * Where a package is, for a thread whose code has no place of its own to look from. This package is built as ESM and as
 * CommonJS, and no word for "this file" is valid in both; a stack trace has one.
 */
export function packagePath(name: string): string {
  const file = thisFile();
  if (file === undefined) throw new Error('this module does not know its own file');
  return createRequire(file).resolve(name);
}

function thisFile(): string | undefined {
  const before = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
  try {
    Error.prepareStackTrace = (_, sites) => sites[0]?.getFileName();
    return new Error('here').stack;
  } finally {
    if (before) Object.defineProperty(Error, 'prepareStackTrace', before);
    else Reflect.deleteProperty(Error, 'prepareStackTrace');
  }
}
