import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { mongodbSocket } from './mongodb-socket.ts';

test('the socket of MongoDB is in its folder, or in the same temporary one each time if the path is too long', () => {
  const longest = `/${'é'.repeat(44)}x`;
  expect(mongodbSocket(longest)).toEqual({ path: `${longest}/mongodb.sock`, isTemporary: false });
  const tooLong = `${longest}x`;
  const { path, isTemporary } = mongodbSocket(tooLong);
  expect([isTemporary, dirname(dirname(path))]).toEqual([true, tmpdir()]);
  expect(mongodbSocket(tooLong)).toEqual({ path, isTemporary });
  expect(mongodbSocket(`${tooLong}x`).path).not.toBe(path);
});
