import type { PageTexts } from './page-texts.ts';

/** Chinese in simplified characters. */
export const zh: PageTexts = {
  language: 'zh-Hans',
  notFound: {
    title: '找不到链接',
    text: '此短链接不存在。可能是输入有误，或者链接已被删除。',
  },
  expired: {
    title: '链接已失效',
    text: '此短链接的所有者限制了其使用，现已达到上限。',
  },
  password: {
    title: '需要密码',
    errorTitle: '错误：需要密码',
    text: '此链接受保护。请输入密码以继续。',
    label: '密码',
    wrong: '密码不正确。请检查后重试。',
    tooMany: '密码错误次数过多。请等待一分钟后重试。',
    button: '继续',
  },
  link: {
    title: '短链接',
    leadsTo: '此链接指向：',
    unknown: '打开链接后即可看到其目标网址。',
    button: '继续',
  },
};
