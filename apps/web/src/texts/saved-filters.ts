/** Texts of the dialog of saved filters. */
export const savedFilters = {
  title: 'Saved filters',
  text: 'Everyone with a session of this account has them. To save one, search or filter the list first.',
  delete: (name: string) => `Delete the filter ${name}`,
  deleted: (name: string) => `${name} is deleted.`,
  name: 'Save this list as',
  save: 'Save',
  saved: (name: string) => `${name} is saved.`,
};
