import type { PageTexts } from './page-texts.ts';

export const pt: PageTexts = {
  language: 'pt',
  notFound: {
    title: 'Link não encontrado',
    text: 'Este link curto não existe. Talvez tenha sido digitado incorretamente ou removido.',
  },
  expired: {
    title: 'Link expirado',
    text: 'O proprietário deste link curto limitou o seu uso. O limite foi atingido.',
  },
  password: {
    title: 'Senha necessária',
    errorTitle: 'Erro: senha necessária',
    text: 'Este link é protegido. Digite a senha para continuar.',
    label: 'Senha',
    wrong: 'A senha está incorreta. Verifique-a e tente novamente.',
    tooMany: 'Muitas senhas incorretas. Aguarde um minuto e tente novamente.',
    button: 'Continuar',
  },
  link: {
    title: 'Link curto',
    leadsTo: 'O link leva a:',
    unknown: 'O destino do link aparece depois que você o abre.',
    button: 'Continuar',
  },
};
