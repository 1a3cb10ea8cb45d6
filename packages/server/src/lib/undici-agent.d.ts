/**
 * The agent of undici without the rest of the library. Its main module also loads `fetch`, which takes 15 MiB, and
 * replaces the agent of Node's own `fetch`.
 */
declare module 'undici/lib/dispatcher/agent.js' {
  export { Agent as default } from 'undici';
}
declare module 'undici/lib/core/connect.js' {
  export { buildConnector as default } from 'undici';
}
