/** Where the program of the oldest server is that is served; it is installed where it is not. */
export function findOldestPostgres(): string;
