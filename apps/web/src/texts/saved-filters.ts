/** Texts of the dialog of saved filters. */
export const savedFilters = {
  title: 'Saved filters',
  text: 'Everyone with a session of this account has them.',
  none: 'There are none yet.',
  everything: 'Everything',
  search: (q: string) => `“${q}”`,
  delete: (name: string) => `Delete the filter ${name}`,
  deleted: (name: string) => `${name} is deleted.`,
  undo: 'Undo',
  nothing: 'To save a filter, search or filter the list first.',
  name: 'Save this list as',
  save: 'Save',
  saved: (name: string) => `${name} is saved.`,
};
