/** @type {import('jest').Config} */
module.exports = {
  testMatch: ['<rootDir>/*.spec.ts'],
  moduleNameMapper: { '^\\./app\\.js$': '<rootDir>/app.ts' },
  transform: { '\\.ts$': 'ts-jest' },
};
