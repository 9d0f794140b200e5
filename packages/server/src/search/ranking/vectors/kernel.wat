;; The module that kernel.ts builds, to be read by people. A test holds the two together.
;; All functions walk $count rows of $stride bytes from $row on, in steps of one vector or word, and $at walks along the query with them.
(module
  (memory (export "memory") 5)

  ;; int8 rows times an int16 query, summed in int32: one int32 a row.
  (func (export "dots") (param $row i32) (param $count i32) (param $stride i32) (param $query i32) (param $out i32)
    (local $row_end i32) (local $at i32) (local $sum v128) (local $bits i64)
    loop $rows
      local.get $row
      local.get $stride
      i32.add
      local.set $row_end
      local.get $query
      local.set $at
      v128.const i32x4 0 0 0 0
      local.set $sum
      loop $steps
        ;; eight components and then the other eight: int8 widened to int16, multiplied, added in pairs
        local.get $row
        v128.load align=1
        i16x8.extend_low_i8x16_s
        local.get $at
        v128.load align=1
        i32x4.dot_i16x8_s
        local.get $sum
        i32x4.add
        local.set $sum
        local.get $row
        v128.load align=1
        i16x8.extend_high_i8x16_s
        local.get $at
        v128.load offset=16 align=1
        i32x4.dot_i16x8_s
        local.get $sum
        i32x4.add
        local.set $sum
        local.get $at
        i32.const 32
        i32.add
        local.set $at
        local.get $row
        i32.const 16
        i32.add
        local.tee $row
        local.get $row_end
        i32.lt_u
        br_if $steps
      end
      local.get $out
      local.get $sum
      i32x4.extract_lane 0
      local.get $sum
      i32x4.extract_lane 1
      i32.add
      local.get $sum
      i32x4.extract_lane 2
      i32.add
      local.get $sum
      i32x4.extract_lane 3
      i32.add
      i32.store align=1
      local.get $out
      i32.const 4
      i32.add
      local.set $out
      local.get $count
      i32.const 1
      i32.sub
      local.tee $count
      br_if $rows
    end
  )

  ;; The sum of the query's weights where a code differs from the query's: one int32 a row. For each 64 bits the query has its code and then
  ;; the three bits of their weights, a word each.
  (func (export "distances") (param $row i32) (param $count i32) (param $stride i32) (param $query i32) (param $out i32)
    (local $row_end i32) (local $at i32) (local $sum i64) (local $bits i64)
    loop $rows
      local.get $row
      local.get $stride
      i32.add
      local.set $row_end
      local.get $query
      local.set $at
      i64.const 0
      local.set $sum
      loop $steps
        ;; the bits that differ
        local.get $row
        i64.load align=1
        local.get $at
        i64.load align=1
        i64.xor
        local.set $bits
        ;; those whose weight has bit 0
        local.get $bits
        local.get $at
        i64.load offset=8 align=1
        i64.and
        i64.popcnt
        i64.const 0
        i64.shl
        local.get $sum
        i64.add
        local.set $sum
        ;; those whose weight has bit 1
        local.get $bits
        local.get $at
        i64.load offset=16 align=1
        i64.and
        i64.popcnt
        i64.const 1
        i64.shl
        local.get $sum
        i64.add
        local.set $sum
        ;; those whose weight has bit 2
        local.get $bits
        local.get $at
        i64.load offset=24 align=1
        i64.and
        i64.popcnt
        i64.const 2
        i64.shl
        local.get $sum
        i64.add
        local.set $sum
        local.get $at
        i32.const 32
        i32.add
        local.set $at
        local.get $row
        i32.const 8
        i32.add
        local.tee $row
        local.get $row_end
        i32.lt_u
        br_if $steps
      end
      local.get $out
      local.get $sum
      i32.wrap_i64
      i32.store align=1
      local.get $out
      i32.const 4
      i32.add
      local.set $out
      local.get $count
      i32.const 1
      i32.sub
      local.tee $count
      br_if $rows
    end
  )

  ;; One bit a component: is it above its threshold? $sum and $bits are not used.
  (func (export "encode") (param $row i32) (param $count i32) (param $stride i32) (param $thresholds i32) (param $out i32)
    (local $row_end i32) (local $at i32) (local $sum i64) (local $bits i64)
    loop $rows
      local.get $row
      local.get $stride
      i32.add
      local.set $row_end
      local.get $thresholds
      local.set $at
      loop $steps
        local.get $out
        local.get $row
        v128.load align=1
        local.get $at
        v128.load align=1
        i8x16.gt_s
        i8x16.bitmask
        i32.store16 align=1
        local.get $out
        i32.const 2
        i32.add
        local.set $out
        local.get $at
        i32.const 16
        i32.add
        local.set $at
        local.get $row
        i32.const 16
        i32.add
        local.tee $row
        local.get $row_end
        i32.lt_u
        br_if $steps
      end
      local.get $count
      i32.const 1
      i32.sub
      local.tee $count
      br_if $rows
    end
  )
)
