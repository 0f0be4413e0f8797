#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The Python package dlearn_learner, asked by the bytes of the manual: with NumPy and without, and
a module of PyTorch beside a plain loop of it. Exit status 77 when NumPy or PyTorch is missing,
which ctest shows.
"""

import importlib.util
import os
import socket
import struct
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ENVIRONMENT = dict(os.environ, PYTHONPATH=os.pathsep.join([f'{ROOT}/python', *sys.path[1:]]))
LEARNER = f'{ROOT}/test/system/inputs/learner.py'
HIDE = 'import sys; sys.modules["numpy"] = None; sys.argv = sys.argv[1:]; exec(open(sys.argv[0]).read())'
TORCH = '''
import sys, torch, dlearn_learner
torch.manual_seed(1)
inputs, targets = torch.randn(12, 3), torch.randint(0, 2, (12,))
batches = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(inputs, targets), 4, shuffle=True)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 2))
make = lambda parameters, config: torch.optim.Adam(parameters, lr=0.01)
loss = torch.nn.CrossEntropyLoss()
if sys.argv[1] == 'serve':
    dlearn_learner.serve_torch(net, make, loss, [batches, batches, batches], epochs=2, figures=['loss'])
    sys.exit()
dlearn_learner.seed_generators(7, 1, 2, 0)
stepper = make(net.parameters(), {})
for _ in range(2):
    for x, y in batches:
        stepper.zero_grad()
        loss(net(x), y).backward()
        stepper.step()
floats = [t for t in [*net.parameters(), *net.buffers()] if t.is_floating_point()]
print(*[value.item().hex() for t in floats for value in t.reshape(-1)])
'''


def pack(kind, values):
    """An array of the protocol."""
    return struct.pack(f'<Q{len(values)}{kind}', len(values), *values)


def take(kind, data):
    """An array of the protocol, and what is behind it."""
    count, = struct.unpack_from('<Q', data)
    size = 8 + count * struct.calcsize(kind)
    return list(struct.unpack_from(f'<{count}{kind}', data, 8)), data[size:]


class Process:
    """A learner, and the socket over which it is asked."""

    def __init__(self, *words):
        self.socket, theirs = socket.socketpair()
        self.process = subprocess.Popen(
            ['sh', '-c', f'exec "$@" 3<&{theirs.fileno()}', 'sh', sys.executable, *words],
            env=ENVIRONMENT, pass_fds=[theirs.fileno()], stderr=subprocess.DEVNULL)
        theirs.close()

    def ask(self, question, body):
        """The answer to a question, with its first byte."""
        self.socket.sendall(struct.pack('<QB', 1 + len(body), question) + body)
        size, = struct.unpack('<Q', self.socket.recv(8, socket.MSG_WAITALL))
        return self.socket.recv(size, socket.MSG_WAITALL)

    def hello(self):
        """The answer without data, to three learners."""
        return self.ask(1, struct.pack('<IIIQII', 2, 3, 7, 1, 0, 0) + 4 * pack('d', []))

    def end(self):
        """The exit status, after the connection is closed."""
        self.socket.close()
        return self.process.wait(60)


class LearnerTest(unittest.TestCase):
    """Questions and answers."""

    def converse(self, *words):
        """The answers to one question of each kind."""
        process = Process(*words)
        hello = process.hello()
        self.assertEqual(struct.unpack_from('<BIId', hello), (0, 2, 7, 100.0))
        model, rest = take('d', hello[17:])
        samples, rest = take('Q', rest)
        self.assertEqual((model, samples), ([0, 0], [4, 4, 4]))
        self.assertEqual(rest, struct.pack('<I', 1) + pack('B', b'chance') + struct.pack('<I', 1) +
                         pack('B', b'right') + struct.pack('<I', 0))
        train = struct.pack('<II', 2, 0) + pack('I', [4, 5, 6, 7]) + pack('d', [0, 0]) + struct.pack('<I', 0)
        weighted = pack('I', [0, 1]) + pack('d', [0.25, 0.75])
        answers = [process.ask(2, train), process.ask(3, weighted + pack('d', [1, 0])),
                   process.ask(4, weighted + struct.pack('<d', 0) + pack('d', [1, 0]))]
        self.assertEqual(process.ask(2, train), answers[0])  # random numbers included
        self.assertEqual(process.ask(4, weighted + struct.pack('<d', 1) + pack('d', [1, 0])),
                         b'\1ValueError: gradients are not clipped here')
        self.assertEqual(process.end(), 0)
        return answers

    def test_answers_are_the_same_without_numpy(self):
        answers = self.converse('-c', HIDE, LEARNER, '2', '0.5')
        model, rest = take('d', answers[0][1:])
        self.assertEqual((len(model), take('d', rest)[0][0]), (2, 4))
        self.assertGreater(model[0], 0)
        self.assertEqual(struct.unpack_from('<d', answers[1], 9)[0], 1)
        self.assertEqual(take('d', answers[1][17:]), ([12], b''))
        if importlib.util.find_spec('numpy') is None:
            self.skipTest('without numpy')
        self.assertEqual(answers, self.converse(LEARNER, '2', '0.5'))

    @unittest.skipIf(importlib.util.find_spec('torch') is None, 'without torch')
    def test_module_of_torch_trains_as_in_a_plain_loop(self):
        process = Process('-c', TORCH, 'serve')
        model, rest = take('d', process.hello()[17:])
        self.assertEqual(take('Q', rest)[0], [12, 12])
        answer = process.ask(2, struct.pack('<II', 2, 0) + pack('I', []) + pack('d', model) +
                             struct.pack('<I', 1) + pack('B', b'lr') + struct.pack('<d', 0.1))
        trained, figures = take('d', answer[1:])
        plain = subprocess.run([sys.executable, '-c', TORCH, 'plain'], capture_output=True, text=True,
                               check=True, env=ENVIRONMENT)
        self.assertEqual([value.hex() for value in trained], plain.stdout.split())
        self.assertEqual(take('d', figures)[0][0], 12)
        evaluated = process.ask(3, pack('I', []) + pack('d', []) + pack('d', trained))
        self.assertGreater(struct.unpack_from('<dd', evaluated, 1)[1], 0)
        self.assertEqual(process.end(), 0)


    def test_wrong_answers_are_explained(self):
        begin = 'import dlearn_learner as d\nbad = lambda *_: 0.5\nd.serve('
        hello = struct.pack('<IIIQII', 2, 3, 7, 1, 0, 0) + 4 * pack('d', [])
        process = Process('-c', begin + 'train=bad, initial=lambda c: [0])')
        self.assertEqual(process.ask(1, hello),
                         b'\1ValueError: serve(samples=...) must say how many samples each client has')
        process.end()
        process = Process('-c', begin + 'train=bad, initial=lambda c: [0], samples=1)')
        process.hello()
        train = struct.pack('<II', 1, 0) + pack('I', [0]) + pack('d', [0]) + struct.pack('<I', 0)
        self.assertEqual(process.ask(2, train), b'\1TypeError: train() must return (model, samples, figures) '
                         b'with a dict, got 0.5')
        process.end()
        process = Process('-c', begin + 'plan=lambda view, config: {"clients": [1], "lr": 1})')
        process.hello()
        self.assertEqual(process.ask(5, struct.pack('<IdI', 0, 0, 0)),
                         b'\1ValueError: plan() must return clients, deadline, enough, minimum and what '
                         b'serve(settings=[...]) names, got lr')
        process.end()


if __name__ == '__main__':
    outcome = unittest.main(exit=False).result
    sys.exit(77 if outcome.wasSuccessful() and outcome.skipped else not outcome.wasSuccessful())
