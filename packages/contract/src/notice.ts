import Type from 'typebox';

/** What a response says about itself: that it is cut, or why it is smaller than its client may expect. */
export const Notice = Type.Optional(
  Type.String({
    description: 'Why the response is cut, or is empty or smaller than expected. Absent if there is nothing to say.',
    examples: ['3 archived links also match; archived=any includes them.'],
  }),
);

/** Returns the field `notice` of these sentences, or nothing. */
export function noticeOf(sentences: readonly (string | undefined)[]): { notice?: string } {
  const said = sentences.filter((one) => one !== undefined);
  return said.length === 0 ? {} : { notice: said.join(' ') };
}
