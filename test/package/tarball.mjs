import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const root = '/node_modules/nestjs-jobs/';

/** Every file of lib in both builds, the papers, and nothing else. */
export async function filesInPlace(tarball, repository) {
  const pack = createPackageFromTarballData(await readFile(tarball));
  const sources = (await readdir(join(repository, 'lib'), { recursive: true }))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.split(sep).join('/').replace(/\.ts$/, ''));
  const expected = [
    ...['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json', 'dist/cjs/package.json'],
    ...['esm', 'cjs'].flatMap((build) =>
      sources.flatMap((file) => [`dist/${build}/${file}.js`, `dist/${build}/${file}.d.ts`]),
    ),
  ];
  const found = pack.listFiles().map((file) => file.slice(root.length));
  assert.deepEqual(found.sort(), expected.sort());
  for (const file of found.filter((name) => name.endsWith('.js')))
    assert.doesNotMatch(
      pack.readFile(root + file),
      /sourceMappingURL/,
      `${file} names a map that is not packed`,
    );
}

export async function lint(tarball) {
  const { buffer, byteOffset, byteLength } = await readFile(tarball);
  const { messages, pkg } = await publint({
    pack: { tarball: buffer.slice(byteOffset, byteOffset + byteLength) },
    strict: true,
  });
  assert.deepEqual(
    messages.map((message) => formatMessage(message, pkg)),
    [],
  );
}

/** What "Are the types wrong?" says about require and import of every entry point, with old and new module resolution. */
export async function resolvableTypes(tarball) {
  const result = await checkPackage(createPackageFromTarballData(await readFile(tarball)), {
    excludeEntrypoints: ['./package.json'],
  });
  assert(result.types, 'the package has no types');
  const entries = ['.', './redis', './postgres', './terminus', './testing', './dashboard'];
  assert.deepEqual(Object.keys(result.entrypoints), entries);
  assert.deepEqual(result.problems, []);
}
