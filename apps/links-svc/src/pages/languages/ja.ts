import type { PageTexts } from './page-texts.ts';

export const ja: PageTexts = {
  language: 'ja',
  notFound: {
    title: 'リンクが見つかりません',
    text: 'この短縮リンクは存在しません。入力が間違っているか、削除された可能性があります。',
  },
  expired: {
    title: 'リンクが無効になりました',
    text: '所有者がこの短縮リンクの利用を制限しており、その上限に達しました。',
  },
  password: {
    title: 'パスワードが必要です',
    errorTitle: 'エラー: パスワードが必要です',
    text: 'このリンクは保護されています。続行するにはパスワードを入力してください。',
    label: 'パスワード',
    wrong: 'パスワードが正しくありません。確認して、もう一度お試しください。',
    tooMany: 'パスワードを間違えた回数が多すぎます。1分ほど待ってから、もう一度お試しください。',
    button: '続行',
  },
  link: {
    title: '短縮リンク',
    leadsTo: 'このリンクの移動先:',
    unknown: '移動先は、リンクを開くと表示されます。',
    button: '続行',
  },
};
