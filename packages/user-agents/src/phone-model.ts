/**
 * The model at the end of the comment that browsers on Android send first: `; M BOT 551 Build/MRA58K; wv)`. No
 * repetition is unbounded, because visitors choose the text.
 */
const MODEL =
  /^(\w{1,20}\/[\d.]{1,10} \((?:Linux|Android)[^()]{0,100}?); ?([^;()/]{1,60}?)( Build\/[^;()]{1,60})?((?:; wv|; rv:[\d.]{1,10})?\))/;
/** The word itself. Bots end in it, such as ExampleBot. */
const BOT = /(?:^|[\W_])(?:cu)?bot(?:[\W_]|$)/i;

/**
 * Returns a User-Agent without the model of the phone if the model is no name of a bot: if a build of Android follows,
 * or if BOT is one of several words. Models have names that lists of bots contain, such as "M BOT 551".
 */
export function withoutPhoneModel(userAgent: string): string {
  return userAgent.replace(MODEL, (all, start: string, model: string, build: string | undefined, end: string) => {
    const isOneOfWords = BOT.test(model) && /\w[\W_]+\w/.test(model) && !/compatible/i.test(start);
    const isModel = build !== undefined || isOneOfWords;
    return isModel ? start + end : all;
  });
}
