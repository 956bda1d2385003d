import type { Device } from '@waymark/contract';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import type { NotCountedReason } from './click.ts';
import { deviceOf } from './device.ts';

/** What a User-Agent says: the kind of device, and why its clicks do not count, or null if they do. */
export interface Visitor {
  /** `other` if its clicks do not count. */
  device: Device;
  notCounted: Exclude<NotCountedReason, 'prefetch'> | null;
}

/** What links-svc reports at most. */
const USER_AGENT_MAX_LENGTH = 384;
const REMEMBERED_MAX = 20_000;

/**
 * Fetchers that make the small card of a link in a chat or a feed. Several are in isbot's list as well, which tells
 * nothing of their kind; the apps of WhatsApp and Viber have browsers whose names only end in the app's.
 */
const PREVIEW =
  /facebookexternalhit|facebot|facebookcatalog|twitterbot|slackbot|slack-imgproxy|^whatsapp\/|telegrambot|discordbot|linkedinbot|pinterestbot|skypeuripreview|microsoft-teams-preview|^mastodon\/|bluesky cardyb|redditbot|^viber\/|vkshare|embedly|iframely|google-pagerenderer|line-poker|snap url preview|bitlybot|outbrain|zoom\.us linkpreview|^signal\/|matrix-media-repo|synapse \(bot|nextcloud server crawler/i;

/** HTTP libraries and command-line clients, by the name that they begin with. */
const LIBRARY =
  /^(?:curl|libcurl|wget|httpie|xh|aria2|python|aiohttp|httpx|okhttp|axios|node|node-fetch|undici|got|superagent|needle|bun|deno|go-http-client|go-resty|fasthttp|java|java-http-client|apache-httpclient|apache-httpasyncclient|jakarta commons-httpclient|jersey|ktor|libwww-perl|lwp|lwp-trivial|www-mechanize|http-tiny|mojolicious|guzzlehttp|symfony httpclient|php|ruby|faraday|http\.rb|httparty|rest-client|mechanize|typhoeus|reqwest|ureq|hyper|isahc|postmanruntime|insomnia|bruno-runtime|scrapy|restsharp|dart|dio|lua-resty-http|elixir|hackney|req|powershell|winhttp|cpp-httplib)(?:[ /;(_-]|$)|WindowsPowerShell\//i;

const remembered = new LRUCache<string, Visitor>({ max: REMEMBERED_MAX });

/**
 * Tells bots, previews and HTTP libraries from people, and finds the devices of people. isbot's list decides what is a bot; its
 * cost grows with the length of the text alone. An iPad asks for desktop pages with the very words of Safari on macOS: it is a
 * desktop here.
 */
export function visitorOf(userAgent: string): Visitor {
  const text = userAgent.slice(0, USER_AGENT_MAX_LENGTH).trim();
  let visitor = remembered.get(text);
  if (visitor === undefined) {
    const reason = notCounted(text);
    visitor = { notCounted: reason, device: reason === null ? deviceOf(text) : 'other' };
    remembered.set(text, visitor);
  }
  return visitor;
}

function notCounted(userAgent: string): Visitor['notCounted'] {
  if (!/[\p{L}\p{N}]/u.test(userAgent)) return 'empty_user_agent';
  if (PREVIEW.test(userAgent)) return 'preview';
  if (LIBRARY.test(userAgent)) return 'library';
  return isbot(userAgent) ? 'bot' : null;
}
