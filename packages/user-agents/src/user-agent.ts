import { BROWSERS, OPERATING_SYSTEMS } from '@waymark/contract';
import { atMostEntries } from '@waymark/service-kit';
import Bowser from 'bowser';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';

import type { Client } from './client.ts';

import { deviceOf } from './device.ts';
import { splitFacebookApp } from './facebook-app.ts';
import { withoutPhoneModel } from './phone-model.ts';

/** What a User-Agent is if it is no person's. The set is closed. */
export const NOT_A_PERSON = ['empty_user_agent', 'preview', 'library', 'bot'] as const;
export type NotAPerson = (typeof NOT_A_PERSON)[number];

/**
 * The classification of a User-Agent: what it runs on, and why its clicks do not count (null if they do). Browser and
 * system are names of the closed lists of the contract. All three are `other` if its clicks do not count.
 */
export interface UserAgent extends Client {
  notCounted: NotAPerson | null;
}

/** The longest User-Agent that links-svc reports. */
const USER_AGENT_MAX_LENGTH = 384;
const REMEMBERED_MAX = 20_000;

/**
 * Fetchers that make the preview card of a link in a chat or a feed. isbot lists several of them too, but not their
 * kind. WhatsApp and Viber match at the start only: browsers in these apps have the name of the app at the end.
 */
const PREVIEW =
  /facebookexternalhit|facebot|facebookcatalog|twitterbot|slackbot|slack-imgproxy|^whatsapp\/|telegrambot|discordbot|linkedinbot|pinterestbot|skypeuripreview|microsoft-teams-preview|^mastodon\/|\(mastodon\/|bluesky cardyb|redditbot|^viber\/|vkshare|embedly|iframely|google-pagerenderer|line-poker|snap url preview|bitlybot|outbrain|zoom\.us linkpreview|^signal\/|matrix-media-repo|synapse \(bot|nextcloud server crawler/i;

/** HTTP libraries and command-line clients, by the name at the start. Windows PowerShell has its name further on. */
const LIBRARY =
  /^(?:curl|libcurl|wget|httpie|xh|aria2|python|aiohttp|httpx|okhttp|axios|node|node-fetch|undici|got|superagent|needle|bun|deno|go-http-client|go-resty|fasthttp|java|java-http-client|apache-httpclient|apache-httpasyncclient|jakarta commons-httpclient|jersey|ktor|libwww-perl|lwp|lwp-trivial|www-mechanize|http-tiny|mojolicious|guzzlehttp|symfony httpclient|php|ruby|faraday|http\.rb|httparty|rest-client|mechanize|typhoeus|reqwest|ureq|hyper|isahc|postmanruntime|insomnia|bruno-runtime|scrapy|restsharp|dart|dio|lua-resty-http|elixir|hackney|req|powershell|winhttp|cpp-httplib)(?:[ /;(_-]|$)|WindowsPowerShell\//i;

const OTHER = 'other';
/** bowser also makes names of what visitors send. They are not reported. */
const REPORTED = { browsers: new Set<string>(BROWSERS), systems: new Set<string>(OPERATING_SYSTEMS) };

const remembered = new LRUCache<string, UserAgent>(atMostEntries(REMEMBERED_MAX));

/**
 * Classifies a User-Agent: bot, preview, HTTP library, or a person with a device, a browser and an operating system.
 * isbot's list decides what is a bot; its cost depends only on the length of the text. The apps of Facebook are people.
 * An iPad that requests desktop pages sends the User-Agent of Safari on macOS, so it counts as a desktop.
 */
export function readUserAgent(userAgent: string): UserAgent {
  const text = userAgent.slice(0, USER_AGENT_MAX_LENGTH).trim();
  let read = remembered.get(text);
  if (read === undefined) {
    read = classify(text);
    remembered.set(text, read);
  }
  return read;
}

function classify(userAgent: string): UserAgent {
  if (!/[\p{L}\p{N}]/u.test(userAgent)) return notAPerson('empty_user_agent');
  const { text, app } = splitFacebookApp(userAgent);
  if (PREVIEW.test(text)) return notAPerson('preview');
  if (LIBRARY.test(text)) return notAPerson('library');
  if (app !== null) return { notCounted: null, ...app };
  return isbot(withoutPhoneModel(text)) ? notAPerson('bot') : person(text);
}

function notAPerson(notCounted: UserAgent['notCounted']): UserAgent {
  return { notCounted, device: 'other', browser: OTHER, os: OTHER };
}

function person(userAgent: string): UserAgent {
  const parser = Bowser.getParser(userAgent);
  const [browser, os] = [parser.getBrowserName(), parser.getOSName()];
  return {
    notCounted: null,
    device: deviceOf(userAgent),
    browser: REPORTED.browsers.has(browser) ? browser : OTHER,
    os: REPORTED.systems.has(os) ? os : OTHER,
  };
}
