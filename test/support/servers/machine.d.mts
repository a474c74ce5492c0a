export function findProgram(programs: readonly string[], debianPackage: string): string;
