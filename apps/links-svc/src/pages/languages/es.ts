import type { PageTexts } from './page-texts.ts';

export const es: PageTexts = {
  language: 'es',
  notFound: {
    title: 'Enlace no encontrado',
    text: 'Este enlace corto no existe. Es posible que esté mal escrito o que se haya eliminado.',
  },
  expired: {
    title: 'Enlace caducado',
    text: 'El propietario de este enlace corto limitó su uso. Se ha alcanzado el límite.',
  },
  password: {
    title: 'Se necesita una contraseña',
    errorTitle: 'Error: se necesita una contraseña',
    text: 'Este enlace está protegido. Introduce su contraseña para continuar.',
    label: 'Contraseña',
    wrong: 'La contraseña no es correcta. Revísala e inténtalo de nuevo.',
    tooMany: 'Demasiadas contraseñas incorrectas. Espera un minuto e inténtalo de nuevo.',
    button: 'Continuar',
  },
  link: {
    title: 'Enlace corto',
    leadsTo: 'El enlace lleva a:',
    unknown: 'Verás el destino del enlace cuando lo sigas.',
    button: 'Continuar',
  },
};
