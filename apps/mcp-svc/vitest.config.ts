import { packageConfig } from '../../vitest.shared.ts';

export default packageConfig(import.meta.dirname, {
  // The package eventsource, which the SDKs' clients import, has an export condition `source` of its own: TypeScript
  // that Node does not run from node_modules, so vitest must read them itself.
  server: { deps: { inline: [/modelcontextprotocol.(sdk|client)/, /eventsource/] } },
});
