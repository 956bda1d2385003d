import type { Attack } from './attack.ts';
import { flood } from './flood.ts';

/** Less than one key may request in a minute. */
const CODES = 590;
const LARGEST_SIZE = 2_048;

/** Large QR codes of one link, each of another size, with one key. */
export const qrCodesAttacks: readonly Attack[] = [qrCodes('qr-codes: at once', CODES), qrCodes('qr-codes: 16', 16)];

function qrCodes(name: string, connections: number): Attack {
  return {
    name,
    about: `requests ${CODES} QR codes of about ${LARGEST_SIZE} pixels, ${connections} at once with one key`,
    service: 'links-svc',
    measureMs: 10_000,
    async prepare({ gateway, attacker }) {
      const headers = { authorization: `Bearer ${attacker.live}` };
      const link = await fetch(`${gateway}/api/v1/links`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ destination_url: 'https://example.org/' }),
      });
      const { id } = (await link.json()) as { id: string };
      const bounds = { connections, durationMs: 20_000, maxRequests: CODES };
      const draw = (n: number, connection: number) => {
        const size = LARGEST_SIZE - (n * connections + connection);
        return { path: `/api/v1/links/${id}/qr?format=png&level=H&size=${size}`, headers };
      };
      return { run: async () => [`codes: ${await flood(gateway, bounds, draw)}`] };
    },
  };
}
