-- SPDX-License-Identifier: GPL-2.0-only
--
-- Dissector of dlearn's messages for Wireshark and tshark:
--
--   wireshark -X lua_script:dlearn.lua run.pcap
--   tshark -X lua_script:dlearn.lua -r run.pcap -Y dlearn -T fields -e dlearn.round -e dlearn.sender
--
-- It reads UDP datagrams and TCP streams of port 4660, the default of both transports. For other
-- ports use "Decode As" (tshark: -d tcp.port==5000,dlearn_tcp). The format is that of ModelHeader
-- (model/wire/dlearn-model-header.h) and of TcpTransport.

local HEADER_SIZE = 32
local FIGURE_SIZE = 8
local GREETING = 0xff -- begins a TCP stream: the caller's port follows in two bytes
local GREETING_SIZE = 3
local FILLER = 0 -- between fragments of a TCP stream: means nothing
local REPAIR = 0x81 -- first byte of polls and reports (RepairDatagram)
local REPAIR_SIZE = 24
local PARITY = 0x82 -- first byte of parity (ParityDatagram)
local PORT = 4660
local MOST_ENTRIES = 16 -- values that the tree shows of a fragment

local encodings = {
    [0] = "float32",
    [1] = "float64",
    [2] = "float16",
    [3] = "sparse float32",
    [4] = "sparse float64",
    [5] = "sparse float16",
    [6] = "QSGD"
}
local channels = {
    [0] = "model",
    [1] = "state",
    [2] = "tracker",
    [3] = "update",
    [4] = "request",
    [5] = "answer"
}
for number = 0, 15 do
    channels[128 + number] = "user" .. number
end
local kinds = {[1] = "poll", [2] = "report", [3] = "parity"}
local value_sizes = {[0] = 4, [1] = 8, [2] = 2}

local dlearn = Proto("dlearn", "dlearn: vectors of distributed learning")
local dlearn_tcp = Proto("dlearn_tcp", "dlearn: stream of vectors over TCP")

local field = {
    version = ProtoField.uint8("dlearn.version", "Version"),
    encoding = ProtoField.uint8("dlearn.encoding", "Encoding", base.DEC, encodings),
    channel = ProtoField.uint8("dlearn.channel", "Channel", base.DEC, channels),
    figures = ProtoField.uint8("dlearn.figures", "Figures behind the vector"),
    round = ProtoField.uint32("dlearn.round", "Round"),
    sender = ProtoField.uint32("dlearn.sender", "Sender"),
    entries = ProtoField.uint32("dlearn.entries", "Entries of the vector"),
    offset = ProtoField.uint32("dlearn.offset", "Offset of the fragment in the message"),
    payload_length = ProtoField.uint32("dlearn.payload_length", "Bytes of the fragment"),
    message_length = ProtoField.uint32("dlearn.message_length", "Bytes of the message"),
    checksum = ProtoField.uint32("dlearn.checksum", "Checksum (XXH3, not verified)", base.HEX),
    payload = ProtoField.bytes("dlearn.payload", "Payload"),
    value32 = ProtoField.float("dlearn.value", "Value"),
    value64 = ProtoField.double("dlearn.value64", "Value"),
    figure = ProtoField.double("dlearn.figure", "Figure"),
    kind = ProtoField.uint8("dlearn.kind", "Kind", base.DEC, kinds),
    words = ProtoField.uint32("dlearn.words", "Learner that is asked, or bound of a range that is missing"),
    row = ProtoField.uint8("dlearn.row", "Row of the erasure code"),
    block = ProtoField.uint32("dlearn.block", "Block of fragments"),
    filler = ProtoField.bytes("dlearn.filler", "Filler"),
    greeting = ProtoField.uint16("dlearn.greeting", "Greeting: port of the caller")
}
dlearn.fields = field

local malformed = ProtoExpert.new(
    "dlearn.malformed", "No fragment of a dlearn message", expert.group.MALFORMED, expert.severity.ERROR
)
dlearn.experts = {malformed}

-- Whether the fields of a header agree, as far as no state is needed.
local function is_header(buffer)
    return buffer:len() >= HEADER_SIZE and buffer(0, 1):uint() == 1 and
        encodings[buffer(1, 1):uint()] ~= nil and channels[buffer(2, 1):uint()] ~= nil and
        FIGURE_SIZE * buffer(3, 1):uint() < buffer(24, 4):uint() and
        buffer(12, 4):uint() > 0 and buffer(20, 4):uint() > 0 and
        buffer(16, 4):uint64() + buffer(20, 4):uint64() <= buffer(24, 4):uint64()
end

-- Show the first values of a dense float32 or float64 payload.
local function add_values(tree, payload, encoding)
    local size = value_sizes[encoding]
    local value = encoding == 0 and field.value32 or encoding == 1 and field.value64
    if not value then
        return
    end
    for k = 0, math.min(math.floor(payload:len() / size), MOST_ENTRIES) - 1 do
        tree:add(value, payload(k * size, size))
    end
end

-- One fragment: header and payload, which are all there.
local function dissect_fragment(buffer, pinfo, tree)
    local encoding = buffer(1, 1):uint()
    local channel = channels[buffer(2, 1):uint()]
    local round = buffer(4, 4):uint()
    local sender = buffer(8, 4):uint()
    local offset = buffer(16, 4):uint()
    local length = buffer(20, 4):uint()
    local total = buffer(24, 4):uint()
    local text = string.format(
        "round %d, learner %d, %s, %s, bytes %d to %d of %d",
        round, sender, channel, encodings[encoding], offset, offset + length, total
    )
    local item = tree:add(dlearn, buffer(0, HEADER_SIZE + length), "dlearn: " .. text)
    item:add(field.version, buffer(0, 1))
    item:add(field.encoding, buffer(1, 1))
    item:add(field.channel, buffer(2, 1))
    item:add(field.figures, buffer(3, 1))
    item:add(field.round, buffer(4, 4))
    item:add(field.sender, buffer(8, 4))
    item:add(field.entries, buffer(12, 4))
    item:add(field.offset, buffer(16, 4))
    item:add(field.payload_length, buffer(20, 4))
    item:add(field.message_length, buffer(24, 4))
    item:add(field.checksum, buffer(28, 4))
    local payload = buffer(HEADER_SIZE, length)
    local rest = total - FIGURE_SIZE * buffer(3, 1):uint() - offset -- of the vector
    local values = item:add(field.payload, payload)
    if rest > 0 then
        add_values(values, payload(0, math.min(length, rest)), encoding)
    end
    -- Without figures that the fragment before begins.
    for place = rest < 0 and rest % FIGURE_SIZE or rest, length - FIGURE_SIZE, FIGURE_SIZE do
        item:add(field.figure, payload(place, FIGURE_SIZE))
    end
    pinfo.cols.protocol = "dlearn"
    return text
end

-- Whether a datagram belongs to a repaired broadcast.
local function is_repair(buffer)
    local first = buffer(0, 1):uint()
    local size = first == REPAIR and REPAIR_SIZE or HEADER_SIZE
    return (first == REPAIR or first == PARITY) and buffer:len() >= size and
        channels[buffer(2, 1):uint()] ~= nil
end

-- A poll, a report or parity.
local function dissect_repair(buffer, pinfo, tree)
    local parity = buffer(0, 1):uint() == PARITY
    local kind = parity and 3 or buffer(1, 1):uint()
    local text = string.format(
        "round %d, %s of %s", buffer(4, 4):uint(), kinds[kind] or "unknown", channels[buffer(2, 1):uint()]
    )
    local item = tree:add(dlearn, buffer(), "dlearn: " .. text)
    item:add(field.version, buffer(0, 1))
    item:add(field.kind, parity and buffer(0, 1) or buffer(1, 1), kind)
    item:add(field.channel, buffer(2, 1))
    item:add(field.round, buffer(4, 4))
    if parity then
        item:add(field.encoding, buffer(1, 1))
        item:add(field.row, buffer(3, 1))
        item:add(field.entries, buffer(8, 4))
        item:add(field.message_length, buffer(12, 4))
        item:add(field.figures, buffer(19, 1))
        item:add(field.block, buffer(20, 4))
        item:add(field.payload, buffer(HEADER_SIZE))
    else
        item:add(field.message_length, buffer(8, 4))
        for place = REPAIR_SIZE, buffer:len() - 4, 4 do
            item:add(field.words, buffer(place, 4))
        end
    end
    pinfo.cols.protocol = "dlearn"
    return text
end

-- A datagram holds one fragment, or something about a repaired broadcast.
function dlearn.dissector(buffer, pinfo, tree)
    if buffer:len() > 0 and is_repair(buffer) then
        pinfo.cols.info = dissect_repair(buffer, pinfo, tree)
        return buffer:len()
    end
    if not is_header(buffer) or buffer:len() ~= HEADER_SIZE + buffer(20, 4):uint() then
        if buffer:captured_len() < buffer:reported_len() then
            return 0 -- cut short by the capture
        end
        tree:add(dlearn, buffer()):add_proto_expert_info(malformed)
        return buffer:len()
    end
    pinfo.cols.info = dissect_fragment(buffer, pinfo, tree)
    return buffer:len()
end

-- How many bytes of a stream belong together; nil when that is not known yet, 0 for no fragment.
local function get_size(buffer)
    local first = buffer(0, 1):uint()
    if first == FILLER then
        return 1
    end
    if first == GREETING then
        return GREETING_SIZE
    end
    if buffer:len() < HEADER_SIZE then
        return nil
    end
    return is_header(buffer) and HEADER_SIZE + buffer(20, 4):uint() or 0
end

-- A stream holds fragments back to back, and fillers and greetings between them.
function dlearn_tcp.dissector(buffer, pinfo, tree)
    local begin = 0
    local texts = {}
    while begin < buffer:len() do
        local rest = buffer(begin):tvb()
        local size = get_size(rest)
        if size == nil or size > rest:len() then
            pinfo.desegment_offset = begin
            pinfo.desegment_len = size and size - rest:len() or DESEGMENT_ONE_MORE_SEGMENT
            break
        end
        if size == 0 then
            tree:add(dlearn, rest()):add_proto_expert_info(malformed)
            return buffer:len()
        elseif size == 1 then
            tree:add(dlearn, rest(0, 1), "dlearn: filler"):add(field.filler, rest(0, 1))
        elseif size == GREETING_SIZE then
            tree:add(dlearn, rest(0, size), "dlearn: greeting"):add(field.greeting, rest(1, 2))
        else
            texts[#texts + 1] = dissect_fragment(rest, pinfo, tree)
        end
        begin = begin + size
    end
    if #texts > 0 then
        pinfo.cols.info = table.concat(texts, "; ")
    end
    return buffer:len()
end

DissectorTable.get("udp.port"):add(PORT, dlearn)
DissectorTable.get("tcp.port"):add(PORT, dlearn_tcp)
