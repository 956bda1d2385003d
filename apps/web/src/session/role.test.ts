import { ROLES, roleMay } from '@waymark/contract';
import { expect, test } from 'vitest';
import { mayEdit, mayManage } from './role.ts';

test('the page offers what the server allows', () => {
  for (const role of ROLES) {
    for (const action of ['create', 'update', 'delete'] as const) expect(mayEdit(role)).toBe(roleMay(role, action));
    expect(mayManage(role)).toBe(roleMay(role, 'manage'));
  }
  expect([mayEdit(undefined), mayManage(undefined)]).toEqual([true, true]);
});
