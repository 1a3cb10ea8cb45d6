/**
 * `node:http`. An import statement would read every export of it, and one of them loads the library behind `fetch`,
 * which takes 70 ms and 16 MiB at each start.
 */
export const nodeHttp = process.getBuiltinModule('node:http');
