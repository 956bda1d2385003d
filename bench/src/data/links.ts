import type { HttpTarget } from '../http-target.ts';

/** A link of a world. */
export interface LoadedLink {
  id: string;
  slug: string;
  destinationUrl: string;
}

/** Words of the titles, descriptions and notes. */
export const WORDS =
  'alpha bravo summer winter price report shop video ticket release guide offer music garden river'.split(' ');
/** A word in the title of every link. */
export const COMMON_TERM = 'campaign';
/** The hashtag of the {@link OLDEST} links that were created first: a list of it finds none among the newest links. */
export const OLDEST_HASHTAG = 'oldest';
const OLDEST = 3_000;

/** Returns a word that occurs only in the title of the link with this number. */
export function rareTerm(number: number): string {
  return `number${number}x`;
}

/** Yields a CSV file of links of about 1 KB, created one minute apart, the last one a minute ago. */
export function* csvOfLinks(count: number): Generator<string> {
  yield 'slug,destination_url,title,description,note,hashtags,created_at\n';
  const now = Date.now();
  for (let number = 0; number < count; number++) {
    const word = (step: number) => WORDS[(number * 7 + step * step) % WORDS.length]!;
    const words = (length: number) => Array.from({ length }, (_, step) => word(step)).join(' ');
    const cells = [
      `s${number.toString(36)}`,
      `https://example.com/${word(1)}/${word(2)}?item=${number}`,
      `${word(3)} ${COMMON_TERM} ${rareTerm(number)}`,
      words(20),
      words(40),
      number < OLDEST ? OLDEST_HASHTAG : `${word(4)};${word(5)}`,
      new Date(now - (count - number) * 60_000).toISOString(),
    ];
    yield `${cells.join(',')}\n`;
  }
}

const HIDING_CONCURRENCY = 8;

/** Makes links private through the API. */
export async function hideLinks(
  { gateway, keyHeaders }: { gateway: HttpTarget; keyHeaders: { authorization: string } },
  links: readonly LoadedLink[],
) {
  const left = [...links];
  await Promise.all(
    Array.from({ length: HIDING_CONCURRENCY }, async () => {
      for (let link = left.pop(); link !== undefined; link = left.pop())
        await gateway.send({
          method: 'PUT',
          path: `/api/v1/links/${link.id}`,
          headers: keyHeaders,
          json: { visibility: 'private' },
        });
    }),
  );
}
