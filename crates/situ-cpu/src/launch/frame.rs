//! The state of a block of work-items: registers, masks, arrays of their own.

use situ_ir::kernel::{Fault, Space};

use super::divide::piece;
use super::launched::{ArrayPlace, Launched};
use super::linear::Line;
use super::moves::{Moves, PADDING};
use super::plan::{MaskBuffer, Register};
use crate::bytes::LINE;
use crate::elementwise::repeat;

/// What is known of the elements of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// They are the same for all work-items.
    One,
    /// They are evenly spaced int64s.
    Line(Line),
    /// Each work-item has its own.
    Each,
}

/// A register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// Its own memory, with room for an element of each work-item.
    pub(super) own: *mut u8,
    /// Where its elements are: here, or in an array.
    pub(super) at: *const u8,
    pub(super) form: Form,
    /// Whether there is an element for each work-item there, though one or two would do.
    pub(super) is_spread: bool,
}

/// Who takes part: a byte for each work-item, and how many are set. If there are none, the bytes mean nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mask {
    pub(super) at: *mut u8,
    pub(super) active: usize,
}

/// Scratch memory, so that vectors never straddle lines.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Aligned(#[allow(dead_code, reason = "read and written through pointers only")] [u8; LINE]);

/// A thread's state while it works on blocks of a launch, one after another.
pub(super) struct Frame<'a> {
    pub(super) launched: &'a Launched<'a>,
    pub(super) moves: &'static Moves,
    pub(super) cells: Vec<Cell>,
    /// With the addresses of arrays that are the block's own.
    pub(super) arrays: Vec<ArrayPlace>,
    /// Work-items of the block, and the same padded.
    pub(super) lanes: usize,
    pub(super) padded: usize,
    /// The most of them.
    pub(super) room: usize,
    /// The most of them in a loop that takes long.
    pub(super) piece: usize,
    masks: *mut u8,
    /// Who has ended, if anybody has.
    pub(super) ended: *mut u8,
    pub(super) any_ended: bool,
    /// Who waits for the next iteration of the innermost loop, if anybody does.
    pub(super) continued: Option<Mask>,
    /// Where elements are that are not in a line.
    pub(super) offsets: *mut i64,
    /// Memory for registers of work-items that have moved closer together.
    pub(super) packed: *mut u8,
    /// The first work-item of the block, counted through the range, or the group.
    pub(super) first: usize,
    /// Whether what is the same in all groups has been written.
    pub(super) has_local_ids: bool,
    pub(super) fault: Option<Fault>,
    /// What all pointers above point into.
    #[allow(dead_code, reason = "it is kept for its memory")]
    memory: Vec<Aligned>,
}

/// Bytes, up to a whole line.
fn lines(bytes: usize) -> usize {
    bytes.next_multiple_of(LINE)
}

impl<'a> Frame<'a> {
    /// For blocks of at most so many work-items.
    pub(super) fn new(launched: &'a Launched<'a>, lanes: usize) -> Frame<'a> {
        let plan = launched.plan;
        let room = lanes.next_multiple_of(PADDING);
        let mut places = launched.arrays.clone();
        for (n, place) in places.iter_mut().enumerate() {
            place.is_copy = launched.is_copied(n);
        }
        let own_bytes = |array: &ArrayPlace| match array.space {
            Space::Global if array.is_copy => lines((array.high - array.low) as usize * array.width),
            Space::Global => 0,
            Space::Local => lines(array.size * array.width),
            Space::Private => array.size * array.width * room,
        };
        let registers: usize = plan.widths.iter().map(|width| width * room).sum();
        // Work-items that move closer together are at most half as many each time, but for the padding. Their places are
        // noted for all of them.
        let element: usize = plan.widths.iter().sum::<usize>() + size_of::<u32>();
        let packed = element * (room + PADDING * (room.ilog2() as usize + 1)) + room * size_of::<u32>();
        let arrays: usize = places.iter().map(own_bytes).sum();
        let masks = (plan.masks + 2) * room;
        let bytes = registers + lines(packed) + arrays + masks + room * size_of::<i64>();
        let mut memory = vec![Aligned([0; LINE]); bytes.div_ceil(LINE)];
        let mut free = memory.as_mut_ptr().cast::<u8>();
        let mut take = |bytes: usize| {
            let taken = free;
            free = free.wrapping_add(bytes);
            taken
        };
        let cell = |own: *mut u8| Cell { own, at: own, form: Form::One, is_spread: false };
        let cells = plan.widths.iter().map(|width| cell(take(width * room))).collect();
        let masks = take(masks);
        let mut frame = Frame {
            launched,
            moves: Moves::of(launched.isa),
            cells,
            arrays: places,
            lanes,
            padded: room,
            room,
            piece: piece(plan),
            masks,
            ended: masks.wrapping_add((plan.masks + 1) * room),
            any_ended: false,
            continued: None,
            offsets: take(room * size_of::<i64>()).cast(),
            packed: take(lines(packed)),
            first: 0,
            has_local_ids: false,
            fault: None,
            memory: vec![],
        };
        for array in frame.arrays.iter_mut().filter(|array| array.is_copy || array.space != Space::Global) {
            array.at = take(own_bytes(array));
            if array.is_copy {
                array.at = array.at.wrapping_offset(-array.low * array.width as isize);
            }
            if array.space == Space::Private {
                // Elements of all work-items lie side by side.
                array.strides.iter_mut().for_each(|stride| *stride *= room as isize);
                (array.low, array.high) = (0, (array.size * room) as isize);
            }
        }
        frame.memory = memory;
        frame.give();
        frame
    }

    /// The bytes of a mask. The first one is that of the whole block.
    #[inline(always)]
    pub(super) fn mask(&self, buffer: MaskBuffer) -> *mut u8 {
        self.masks.wrapping_add((buffer + 1) * self.room)
    }

    /// Everybody, in the mask of the whole block.
    pub(super) fn everybody(&mut self) -> Mask {
        // SAFETY: there is room for so many bytes.
        unsafe {
            self.masks.write_bytes(1, self.lanes);
            self.masks.add(self.lanes).write_bytes(0, self.room - self.lanes);
        }
        Mask { at: self.masks, active: self.lanes }
    }

    #[inline(always)]
    pub(super) fn is_full(&self, mask: Mask) -> bool {
        mask.active == self.lanes
    }

    #[inline(always)]
    pub(super) fn width(&self, register: Register) -> usize {
        self.launched.plan.widths[register]
    }

    /// The first element of a register that is the same for all.
    #[inline(always)]
    pub(super) fn one(&self, register: Register) -> Option<*const u8> {
        let cell = &self.cells[register];
        (cell.form == Form::One).then_some(cell.at)
    }

    /// The register as a line, where it is one or the same for all; it holds int64s.
    #[inline(always)]
    pub(super) fn line(&self, register: Register) -> Option<Line> {
        let cell = &self.cells[register];
        match cell.form {
            // SAFETY: the caller asks about an int64, which is written.
            Form::One => Some(Line { first: unsafe { cell.at.cast::<i64>().read() }, step: 0 }),
            Form::Line(line) => Some(line),
            Form::Each => None,
        }
    }

    /// Where the elements of a register are, one for each work-item: they are written if they are not yet.
    #[inline(always)]
    pub(super) fn spread(&mut self, register: Register) -> *const u8 {
        let cell = &self.cells[register];
        if cell.form == Form::Each || cell.is_spread { cell.at } else { self.write_each(register) }
    }

    #[inline(never)]
    fn write_each(&mut self, register: Register) -> *const u8 {
        let (isa, padded, width) = (self.launched.isa, self.padded, self.width(register));
        let cell = &mut self.cells[register];
        // SAFETY: a register has room for so many elements of its width.
        unsafe {
            match cell.form {
                Form::Line(line) => (self.moves.line)(cell.own.cast(), line.first, line.step, padded),
                _ => repeat(isa, width, cell.own, cell.at, padded),
            }
        }
        cell.at = cell.own;
        cell.is_spread = true;
        cell.at
    }

    /// Notes that a register's own memory holds an element for each work-item, or the one of all.
    #[inline(always)]
    pub(super) fn wrote(&mut self, register: Register, form: Form) {
        let cell = &mut self.cells[register];
        (cell.at, cell.form, cell.is_spread) = (cell.own, form, false);
    }

    /// Writes what is the same for all.
    pub(super) fn put(&mut self, register: Register, bytes: &[u8]) {
        // SAFETY: a register has room for an element of its width.
        unsafe { self.cells[register].own.copy_from_nonoverlapping(bytes.as_ptr(), self.width(register)) };
        self.wrote(register, Form::One);
    }
}
