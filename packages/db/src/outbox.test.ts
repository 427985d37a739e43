import { expect, it, vi } from 'vitest';
import { createNotices } from './outbox.ts';

it('the first statement carries the notification, and one after its rest tells of all others', async () => {
  const send = vi.fn(async () => {});
  const notices = createNotices(send, 5);
  expect(notices.take()).toBe(true);
  for (let other = 0; other < 100; other += 1) {
    expect(notices.take()).toBe(false);
    notices.announce();
  }
  expect(send).not.toHaveBeenCalled();
  await expect.poll(() => send.mock.calls.length).toBe(1);
  await expect.poll(() => notices.take()).toBe(true);
  expect(send).toHaveBeenCalledTimes(1);
});

it('a row committed after the rest is announced at once, and a failed notification is dropped', async () => {
  const send = vi.fn(() => Promise.reject(new Error('away')));
  const notices = createNotices(send, 1);
  notices.announce();
  expect(send).toHaveBeenCalledTimes(1);
  await expect.poll(() => notices.take()).toBe(true);
});
