/** The words that say what a column means, by their meaning. Names of columns are split into them. */
export const WORDS = {
  /** What stands beside the other words and says nothing more. */
  filler: 'a,an,has,is,it,its,link,links,of,short,the,this,was,url,urls,value',
  time: 'after,at,by,date,day,days,from,hours,in,minutes,on,seconds,since,time,timestamp,utc',
  expiry: 'expir,expire,expired,expires,expiration,expiring,expiry,lifetime,ttl',
  end: 'close,closes,deactivate,deactivates,deactivation,end,ending,ends,stop,stops,sunset,terminates,termination,till,to,until',
  start: 'activate,activation,begin,begins,launch,publish,scheduled,start,starting,starts',
  closed:
    'abuse,abusive,banned,blacklisted,blocked,cancelled,closed,deactivated,deleted,disabled,draft,ended,flagged,frozen,' +
    'hidden,inactive,internal,locked,malicious,paused,phishing,private,quarantined,removed,restricted,revoked,spam,' +
    'stopped,suspended,terminated,trashed,unsafe',
  open: 'activated,active,approved,available,enabled,live,online,open,public,published,visible',
  valid: 'valid',
  state: 'access,privacy,sharing,state,status',
  password: 'pass,passcode,passphrase,passwd,password,pin,protected,pwd,secret',
  passwordPart: 'code,hash,hint,key',
  /** What says that something is needed. */
  needed: 'enabled,needed,only,protection,required,requires,with',
  limit: 'after,allowed,cap,left,limit,limits,max,maximum,quota,remaining',
  visits:
    'access,accesses,click,clicks,first,hit,hits,open,opens,redirects,scan,scans,usage,use,uses,view,views,visit,' +
    'visitor,visitors,visits',
  once: 'burn,destruct,once',
  one: 'one,single',
  visitors:
    'ab,alternative,alternatives,android,apple,app,countries,country,deep,desktop,device,devices,geo,google,ios,ipad,' +
    'iphone,itunes,language,languages,mac,mobile,os,platform,region,rotate,rotation,rotator,split,tablet,test,variant,' +
    'variants,windows',
  /** What stands beside the words of visitors. */
  visitorsPart: 'play,store',
  host: 'domain,fqdn,host,hostname',
  /** What stands beside the words of a host. */
  hostPart: 'brand,branded,custom,name,shortener,vanity',
  destination:
    'destination,destinations,long,redirect,redirects,rule,rules,target,targeting,targets,link,links,url,urls',
} as const satisfies Record<string, string>;

export type Meaning = keyof typeof WORDS;

const SETS = Object.fromEntries(
  Object.entries(WORDS).map(([meaning, words]) => [meaning, new Set(words.split(','))]),
) as unknown as Record<Meaning, ReadonlySet<string>>;
const KNOWN: ReadonlySet<string> = new Set(Object.values(SETS).flatMap((words) => [...words]));
const LONGEST = Math.max(...[...KNOWN].map((word) => word.length));
/** A longer name is no name of a column that means something here. */
const NAME_MAX_LENGTH = 64;

/** Returns true if the word has this meaning. */
export function isWordOf(meaning: Meaning, word: string): boolean {
  return SETS[meaning].has(word);
}

/**
 * Returns the words of a column's name in lower case: `expireAt_views` has `expire`, `at` and `views`. A part without
 * separators is split if it consists of known words only, such as `clicklimit`.
 */
export function wordsOf(name: string): string[] {
  if (name.length > NAME_MAX_LENGTH) return [];
  const parts = name
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return parts.filter((part) => part !== '').flatMap((part) => splitIntoKnown(part) ?? part);
}

/** Returns the known words that a text consists of, as few as possible, or null. */
function splitIntoKnown(text: string): string[] | null {
  const best: (string[] | null)[] = [[]];
  for (let end = 1; end <= text.length; end++) {
    best[end] = null;
    for (let start = Math.max(0, end - LONGEST); start < end; start++) {
      const before = best[start];
      const word = text.slice(start, end);
      if (before == null || !KNOWN.has(word)) continue;
      if (best[end] === null || before.length + 1 < best[end]!.length) best[end] = [...before, word];
    }
  }
  return best[text.length]!;
}
